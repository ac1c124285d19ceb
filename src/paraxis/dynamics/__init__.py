"""What a robot does under forces: loads, contacts, friction, and its equations written out."""
