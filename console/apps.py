"""The console as a Django app."""

from django.apps import AppConfig, apps


class ConsoleConfig(AppConfig):
    """Registers the system checks."""

    name = "console"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the checks, which registers them."""
        from console import checks  # noqa: F401

        # Django's words for it stand above the pages of accounts.
        apps.get_app_config("auth").verbose_name = "Accounts"
