import { MAX_MESSAGE_BYTES } from '../../../proto/message.ts';

/** Space for names and times in a message with a picture; a larger picture does not fit. */
const MESSAGE_ROOM_BYTES = 64 * 1_024;
export const MAX_PICTURE_BYTES = MAX_MESSAGE_BYTES - MESSAGE_ROOM_BYTES;
