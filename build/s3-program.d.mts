/** Path of the program of an S3-compatible store; undefined where none can be had here. */
export function s3Program(): string | undefined;
