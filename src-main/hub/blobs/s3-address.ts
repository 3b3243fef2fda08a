import { ArmatureError } from '../../base/errors.ts';

/** A bucket of an S3-compatible store. */
export interface S3Address {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Undefined for AWS. */
  readonly endpoint: string | undefined;
  /** Undefined: taken from the environment. */
  readonly region: string | undefined;
}

const FORM = 's3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION, all after BUCKET may be left out';
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, with the capitals and underscores of older ones. */
const BUCKET = /^[A-Za-z0-9][\w.-]{1,253}[A-Za-z0-9]$/;

/**
 * Parses `s3://bucket/prefix?endpoint=http://host:9000&region=eu-1`. It must not contain keys: every user of a computer
 * can read the arguments of programs.
 * @throws {ArmatureError} `call.bad_argument`
 */
export function parseS3Address(text: string): S3Address {
  const bad = (why: string): ArmatureError =>
    new ArmatureError('call.bad_argument', `"${withoutKeys(text)}" is no address of a bucket: ${why}. Write ${FORM}.`);
  if (!URL.canParse(text)) throw bad('it cannot be read');
  const url = new URL(text);
  if (url.protocol !== 's3:') throw bad('it does not begin with s3://');
  if (url.username !== '' || url.password !== '') {
    throw bad('keys are given as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  }
  if (url.port !== '' || !BUCKET.test(url.hostname)) {
    throw bad(`"${url.host}" is no name of a bucket; the server is given as endpoint`);
  }
  const known = new Set(['endpoint', 'region']);
  for (const name of url.searchParams.keys()) if (!known.has(name)) throw bad(`"${name}" is not known`);
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(endpoint)) {
    throw bad(`the endpoint "${withoutKeys(endpoint)}" is not http://HOST:PORT or https://HOST:PORT`);
  }
  const steps = decodeURIComponent(url.pathname)
    .split('/')
    .filter((step) => step !== '');
  return {
    bucket: url.hostname,
    prefix: steps.map((step) => `${step}/`).join(''),
    endpoint,
    region: url.searchParams.get('region') ?? undefined,
  };
}

function withoutKeys(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//***@');
}
