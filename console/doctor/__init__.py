"""What `./manage.py doctor` looks at, one module an area."""
