/** Path of the program of an S3-compatible store; undefined where none is available here. */
export function s3Program(): string | undefined;
