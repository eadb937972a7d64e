"""Talks to DynamoDB, SQS, S3 and the clock. No other room does.

Begin with `aws.py`, `table_reads.py` and `conditional_writer.py`. This room decides nothing.
"""
