/** Header with the id of the API key for which a hub signals. It is accepted only from the machine's hub. */
export const SIGNALED_KEY = 'armature-signaled-key';
