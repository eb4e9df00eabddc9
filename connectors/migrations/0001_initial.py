import django.db.models.deletion
import django.db.models.functions.text
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AccessRule',
            fields=[
                ('id', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('layers', models.JSONField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Group',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('principal', models.CharField(max_length=300, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('is_everybody', models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=40)),
                ('name', models.CharField(max_length=200, unique=True)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('state', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('held', 'Held')], default='active', max_length=10)),
                ('reason', models.TextField(blank=True)),
                ('cursor', models.JSONField(blank=True, null=True)),
                ('sync_every_minutes', models.PositiveIntegerField(default=15)),
                ('local_models_only', models.BooleanField(default=False)),
                ('lease_token', models.UUIDField(blank=True, editable=False, null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, null=True)),
                ('lease_holder', models.CharField(blank=True, editable=False, max_length=300)),
                ('last_success_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Person',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('email', models.EmailField(blank=True, max_length=254, null=True)),
                ('is_employee', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('account', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='person', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'people',
                'ordering': ['name', 'email'],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='connectors.group')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='connectors.person')),
            ],
        ),
        migrations.CreateModel(
            name='IdentityLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('origin', models.CharField(max_length=100)),
                ('account_id', models.CharField(max_length=200)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='connectors.person')),
            ],
        ),
        migrations.AddField(
            model_name='group',
            name='members',
            field=models.ManyToManyField(related_name='groups', through='connectors.Membership', to='connectors.person'),
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('external_id', models.TextField()),
                ('url', models.TextField(blank=True)),
                ('title', models.TextField(blank=True)),
                ('kind', models.CharField(blank=True, max_length=40)),
                ('author', models.TextField(blank=True)),
                ('owner', models.TextField(blank=True)),
                ('version', models.TextField(blank=True)),
                ('updated_at', models.DateTimeField(blank=True, null=True)),
                ('status', models.CharField(default='current', max_length=20)),
                ('state', models.CharField(choices=[('indexed', 'Indexed'), ('skipped', 'Skipped'), ('failed', 'Failed'), ('held', 'Held'), ('removed', 'Removed')], max_length=10)),
                ('reason', models.CharField(blank=True, max_length=60)),
                ('message', models.TextField(blank=True)),
                ('warnings', models.JSONField(blank=True, default=list)),
                ('mark', models.TextField(blank=True)),
                ('content_hash', models.CharField(blank=True, max_length=64)),
                ('characters', models.PositiveIntegerField(default=0)),
                ('chunk_count', models.PositiveIntegerField(default=0)),
                ('memory_count', models.PositiveIntegerField(default=0)),
                ('needs_repair', models.BooleanField(default=False)),
                ('first_seen_at', models.DateTimeField(auto_now_add=True)),
                ('changed_at', models.DateTimeField(auto_now=True)),
                ('indexed_at', models.DateTimeField(blank=True, null=True)),
                ('rule', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='documents', to='connectors.accessrule')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='connectors.source')),
                # Last: SQLite reads a row up to the last column that is asked for.
                ('content', models.JSONField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='SyncRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('held', 'Held'), ('cancelled', 'Cancelled'), ('interrupted', 'Interrupted')], default='running', max_length=12)),
                ('message', models.TextField(blank=True)),
                ('stage', models.CharField(blank=True, max_length=40)),
                ('total', models.PositiveIntegerField(blank=True, null=True)),
                ('counts', models.JSONField(blank=True, default=dict)),
                ('stage_seconds', models.JSONField(blank=True, default=dict)),
                ('incomplete', models.BooleanField(default=False)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('heartbeat_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='connectors.source')),
            ],
            options={
                'ordering': ['-started_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='SyncIssue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.TextField(blank=True)),
                ('title', models.TextField(blank=True)),
                ('url', models.TextField(blank=True)),
                ('severity', models.CharField(choices=[('notice', 'Notice'), ('warning', 'Warning'), ('error', 'Error')], max_length=10)),
                ('reason', models.CharField(max_length=60)),
                ('message', models.TextField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='issues', to='connectors.syncrun')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddConstraint(
            model_name='person',
            constraint=models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='one_person_per_address', violation_error_message='Somebody has this address already.'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('group', 'person'), name='in_a_group_once'),
        ),
        migrations.AddConstraint(
            model_name='identitylink',
            constraint=models.UniqueConstraint(fields=('origin', 'account_id'), name='one_person_per_account'),
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(fields=['source', 'state'], name='document_source_state'),
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(condition=models.Q(('needs_repair', True)), fields=['source'], name='document_needs_repair'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(fields=('source', 'external_id'), name='one_row_per_document'),
        ),
        migrations.AddIndex(
            model_name='syncrun',
            index=models.Index(fields=['source', '-started_at'], name='run_source_started'),
        ),
    ]
