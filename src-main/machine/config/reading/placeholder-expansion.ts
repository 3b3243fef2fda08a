import { replacePlaceholders, type Placeholder } from '../../../../proto/config/placeholders.ts';
import { joinPointer, pointerSteps } from '../../../../proto/config/text/json-pointer.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { ProblemSink } from '../problem-list.ts';

/** A package on this machine, for `${packages.TYPE.NAME}`. */
export interface InstalledPackage {
  readonly type: string;
  readonly name: string;
  /** The value of the placeholder: the folder of its files. */
  readonly path: string;
}

/** Sources of placeholder values. */
export interface PlaceholderValues {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly packages: readonly InstalledPackage[];
  /** Whether `${VAR}` is replaced, before anything else is read. */
  readonly hasVariables: boolean;
}

/**
 * Replaces the placeholders of one entry. A placeholder that cannot be replaced is an error of that entry; the error
 * names the key, and the placeholder stays as written.
 */
export class PlaceholderExpansion {
  readonly #what: string;
  readonly #entryPointer: string;
  readonly #values: PlaceholderValues;
  readonly #sink: ProblemSink;
  /** Document pointers of values that contain text of the environment. */
  readonly fromEnvironment: string[] = [];
  /** Names of packages whose folders it contains. */
  readonly packages = new Set<string>();

  constructor(what: string, entryPointer: string, values: PlaceholderValues, sink: ProblemSink) {
    this.#what = what;
    this.#entryPointer = entryPointer;
    this.#values = values;
    this.#sink = sink;
  }

  text(text: string, pointer: string): string {
    let usesEnvironment = false;
    const expanded = replacePlaceholders(text, (found) => {
      if (found.kind === 'environment') usesEnvironment = true;
      return this.#resolve(found, pointer);
    });
    if (usesEnvironment) this.fromEnvironment.push(pointer);
    return expanded;
  }

  /** Expands every text inside a value, but no keys. A value without placeholders is returned itself, not copied. */
  value(value: JsonValue, pointer: string): JsonValue {
    if (typeof value === 'string') return this.text(value, pointer);
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.value(item, joinPointer(pointer, index)));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    const entries = Object.entries(value).map(
      ([key, one]) => [key, this.value(one, joinPointer(pointer, key))] as const,
    );
    return entries.some(([key, one]) => one !== value[key]) ? Object.fromEntries(entries) : value;
  }

  #resolve(found: Placeholder, pointer: string): string | undefined {
    switch (found.kind) {
      case 'environment':
        return this.#environment(found.name, found.text, pointer);
      case 'package':
        return this.#package(found.type, found.name, found.text, pointer);
      case 'malformed':
        this.#report(
          'error',
          'placeholder.malformed',
          pointer,
          `${found.text} is not a placeholder; write \${environment.NAME} or \${packages.TYPE.NAME}.`,
        );
        return undefined;
      case 'variable':
        // In a file, it was replaced before, or reported as having no value.
        if (this.#values.hasVariables) return undefined;
        this.#report(
          'warning',
          'placeholder.not_in_file',
          pointer,
          `${found.text} is passed on as it is: variables are replaced in configuration files only; write \${environment.${found.name}}.`,
        );
        return undefined;
      case 'unknown':
        this.#report(
          'warning',
          'placeholder.unknown',
          pointer,
          `${found.text} is passed on as it is; placeholders are \${environment.NAME} and \${packages.TYPE.NAME}.`,
        );
        return undefined;
    }
  }

  #environment(name: string, text: string, pointer: string): string | undefined {
    const { environment } = this.#values;
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) return value;
    const guess = nearest(name, Object.keys(environment));
    this.#report(
      'error',
      'placeholder.unset',
      pointer,
      `${text} has no value: the environment of the server has no variable ${name}; set it before the server starts.`,
      guess,
    );
    return undefined;
  }

  #package(type: string, name: string, text: string, pointer: string): string | undefined {
    const { packages } = this.#values;
    const exact = packages.find((one) => one.type === type && one.name === name);
    if (exact !== undefined) {
      this.packages.add(name);
      return exact.path;
    }
    const otherType = packages.find((one) => one.name === name);
    if (otherType !== undefined) {
      this.#report(
        'error',
        'placeholder.package_type',
        pointer,
        `${text} names a package of type ${type}, but ${name} is of type ${otherType.type}; write \${packages.${otherType.type}.${name}}.`,
      );
      return undefined;
    }
    const guess = nearest(
      name,
      packages.map((one) => one.name),
    );
    this.#report(
      'error',
      'placeholder.no_package',
      pointer,
      `${text} has no value: "packages" of the configuration has no ${name} of type ${type}.`,
      guess,
    );
    return undefined;
  }

  #report(
    severity: 'error' | 'warning',
    code: string,
    pointer: string,
    message: string,
    guess: string | undefined = undefined,
  ): void {
    const key = (pointerSteps(pointer.slice(this.#entryPointer.length)) ?? []).join('.');
    const hint = guess === undefined ? '' : ` Did you mean ${guess}?`;
    this.#sink.report({
      pointer,
      severity,
      code,
      message: `${this.#what}: in ${key}, ${message}${hint}`,
      nearest: guess,
    });
  }
}
