"""What Confluence and Jira share: the way to a site, and what belongs to one thing."""
