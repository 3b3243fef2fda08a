import { describe, expect, it } from 'vitest';
import { parseS3Address } from './s3-address.ts';

describe('the address of a bucket', () => {
  it.each([
    ['s3://files', { bucket: 'files', prefix: '' }],
    ['s3://files/', { bucket: 'files', prefix: '' }],
    ['s3://files/a/b', { bucket: 'files', prefix: 'a/b/' }],
    ['s3://files/a//b/', { bucket: 'files', prefix: 'a/b/' }],
    ['s3://Old_Files/a%20b', { bucket: 'Old_Files', prefix: 'a b/' }],
    ['s3://files?region=eu-central-1', { bucket: 'files', prefix: '', region: 'eu-central-1' }],
    ['s3://files/x?endpoint=http://10.0.0.2:9000', { bucket: 'files', prefix: 'x/', endpoint: 'http://10.0.0.2:9000' }],
    ['s3://files?endpoint=https%3A%2F%2Fs3.local', { bucket: 'files', prefix: '', endpoint: 'https://s3.local' }],
  ])('%s', (text, expected) => {
    expect(parseS3Address(text)).toEqual({ endpoint: undefined, region: undefined, ...expected });
  });

  it.each([
    ['files', /it cannot be read/],
    ['https://files.example', /does not begin with s3/],
    ['s3://files:9000/x', /"files:9000" is no name of a bucket; the server is given as endpoint/],
    ['s3://x', /"x" is no name of a bucket/],
    ['s3://me:hunter2@files', /AWS_SECRET_ACCESS_KEY in the environment/],
    ['s3://files?endpont=http://x', /"endpont" is not known/],
    ['s3://files?endpoint=10.0.0.2:9000', /the endpoint "10\.0\.0\.2:9000" is not http:\/\/HOST:PORT/],
    ['s3://files?endpoint=http://me:hunter2@x', /the endpoint "http:\/\/\*\*\*@x" is not/],
  ])('%s is refused, and shows no key', (text, message) => {
    const parse = (): unknown => parseS3Address(text);
    expect(parse).toThrow(message);
    expect(parse).toThrow(/Write s3:\/\/BUCKET/);
    expect(parse).not.toThrow(/hunter2/);
  });
});
