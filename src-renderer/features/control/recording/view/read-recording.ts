import { Turns } from '../../../../shared/timing/turns.ts';
import type { Recording, RecordingProblem } from '../file/recording.ts';
import { RecordingReader } from '../file/recording-reader.ts';

/** Characters that are read at once: a few milliseconds. */
const PIECE_LENGTH = 32_768;

/**
 * Reads the file of a recording in turns. Rejects if the file cannot be read.
 * @param onShare called after each turn with the share that has been read
 */
export async function readRecording(
  content: Blob,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<Recording | RecordingProblem> {
  const reader = new RecordingReader();
  const decoder = new TextDecoder();
  const turns = new Turns();
  for (let at = 0; at < content.size && !reader.isOver; at += PIECE_LENGTH * 32) {
    const piece = content.slice(at, at + PIECE_LENGTH * 32);
    const text = decoder.decode(await piece.arrayBuffer(), { stream: true });
    for (let from = 0; from < text.length; from += PIECE_LENGTH) {
      reader.take(text.slice(from, from + PIECE_LENGTH));
      if (!turns.isOver) continue;
      onShare((at + from) / content.size);
      await turns.pass();
      signal.throwIfAborted();
    }
  }
  reader.take(decoder.decode());
  return reader.finish();
}
