"""Language models behind one contract: roles, structured replies, usage and cost."""
