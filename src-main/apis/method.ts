import { asIs, type AnyField } from './fields.ts';
import type { Resource } from './resource.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../rpc/service.ts';

/** How one method of a resource is encoded: its arguments are fields of the request, in order; its result is in the response. */
export interface ApiMethod {
  /** Key of the method in its service. */
  readonly rpc: string;
  readonly fields: readonly (readonly [key: string, field: AnyField])[];
  /** Undefined if it returns nothing: then it is not a read-only method. */
  readonly result: ResultField | undefined;
  /** It takes as long as its motion, so callers set no time limit. */
  readonly isMotion: boolean;
  /** It ends when its caller ends. Other methods answer too fast for that to matter. */
  readonly endsWithCaller: boolean;
  /** Key of the field with the name of the resource. */
  readonly nameKey: string;
}

/** A result, and how the response contains it. */
export interface ResultField {
  write(result: unknown, resource: Resource): object;
  read(response: Readonly<Record<string, unknown>>, resource: Resource): unknown;
}

type Fields<Message> = { readonly [K in keyof Message]?: AnyField };

/** The key that contains a value, with its field if the value is converted. */
type Carried<Message> = (keyof Message & string) | readonly [key: keyof Message & string, field: AnyField];
/** What contains the result, or each member of it. */
type Result<Message> = Carried<Message> | { readonly [member: string]: Carried<Message> };

type MethodOptions = Partial<Pick<ApiMethod, 'isMotion' | 'endsWithCaller' | 'nameKey'>>;

/** Helpers that describe the methods of an API. */
export interface MethodsOf<D extends ServiceDefinition> {
  /** A method that does something. */
  readonly call: <K extends keyof D['methods'] & string>(
    rpc: K,
    fields?: Fields<RequestOf<D['methods'][K]>>,
    options?: MethodOptions,
  ) => ApiMethod;
  /** A method that only reads. */
  readonly read: <K extends keyof D['methods'] & string>(
    rpc: K,
    result: Result<ResponseOf<D['methods'][K]>>,
    fields?: Fields<RequestOf<D['methods'][K]>>,
    options?: MethodOptions,
  ) => ApiMethod;
}

/** @param _service determines the possible keys */
export function methodsOf<D extends ServiceDefinition>(_service: D): MethodsOf<D> {
  const method = (
    rpc: string,
    result: ResultField | undefined,
    fields: object,
    { isMotion = false, endsWithCaller = false, nameKey = 'name' }: MethodOptions,
  ): ApiMethod => ({
    rpc,
    result,
    fields: Object.entries(fields as Readonly<Record<string, AnyField>>),
    isMotion,
    endsWithCaller,
    nameKey,
  });
  return {
    call: (rpc, fields = {}, options = {}) => method(rpc, undefined, fields, options),
    read: (rpc, result, fields = {}, options = {}) =>
      method(rpc, resultField(result as Result<Readonly<Record<string, unknown>>>), fields, options),
  };
}

function resultField(result: Result<Readonly<Record<string, unknown>>>): ResultField {
  if (typeof result === 'string' || isPair(result)) {
    const [key, field] = carriedBy(result);
    return {
      write: (value, resource) => ({ [key]: field.write(value, resource) as unknown }),
      read: (response, resource) => field.read(response[key], resource, key) as unknown,
    };
  }
  const members = Object.entries(result).map(([member, carried]) => [member, ...carriedBy(carried)] as const);
  return {
    write: (value, resource) => {
      const values = value as Readonly<Record<string, unknown>>;
      return Object.fromEntries(members.map(([member, key, field]) => [key, field.write(values[member], resource)]));
    },
    read: (response, resource) =>
      Object.fromEntries(members.map(([member, key, field]) => [member, field.read(response[key], resource, key)])),
  };
}

type AnyCarried = Carried<Readonly<Record<string, unknown>>>;

function isPair(result: object): result is Exclude<AnyCarried, string> {
  return Array.isArray(result);
}

function carriedBy(carried: AnyCarried): readonly [key: string, field: AnyField] {
  return typeof carried === 'string' ? [carried, asIs] : carried;
}
