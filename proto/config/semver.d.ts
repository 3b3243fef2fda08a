/** What is used of the package `semver`, which comes without types. */
declare module 'semver/functions/parse.js' {
  interface SemVer {
    readonly version: string;
    readonly major: number;
    readonly minor: number;
    readonly patch: number;
    readonly prerelease: readonly (string | number)[];
    readonly build: readonly string[];
  }
  /** Null for what is no version. */
  export default function parse(text: string): SemVer | null;
}

declare module 'semver/functions/compare.js' {
  /** Order of two versions, -1, 0 or 1; what follows `+` does not count. */
  export default function compare(a: string, b: string): -1 | 0 | 1;
}
