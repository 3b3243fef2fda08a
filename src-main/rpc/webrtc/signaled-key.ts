/** Header with the id of the API key for which a hub signals. It is taken from the hub of a machine and from nobody else. */
export const SIGNALED_KEY = 'armature-signaled-key';
