import { MAX_MESSAGE_BYTES } from '../../../proto/message.ts';

/** Room for names and times beside a picture: a larger one fits no message. */
const MESSAGE_ROOM_BYTES = 64 * 1_024;
export const MAX_PICTURE_BYTES = MAX_MESSAGE_BYTES - MESSAGE_ROOM_BYTES;
