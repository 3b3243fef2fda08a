import type { BuildContext, BuiltResource } from '../../catalog/model.ts';
import type { JsonObject } from '../../../apis/resource.ts';

/** Model `fake` of both generic APIs: returns each command unchanged. */
export async function build(context: BuildContext<JsonObject>): Promise<BuiltResource> {
  return {
    name: context.name,
    doCommand: (command) => Promise.resolve(command),
    reconfigure: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
