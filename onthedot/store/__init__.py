"""The only code that talks to DynamoDB, SQS, S3 and the clock.

Begin with `aws.py`, `table_reads.py` and `conditional_writer.py`. It decides nothing.
"""
