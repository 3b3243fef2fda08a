import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { MultiplexedPipe } from './multiplexed-pipe.ts';

function open() {
  const sent: { readonly bytes: Uint8Array; readonly done: () => void }[] = [];
  const closed: string[] = [];
  const heard: string[] = [];
  const pipe = new MultiplexedPipe({
    send: (bytes, done) => void sent.push({ bytes, done }),
    closed: (reason) => void closed.push(reason),
  });
  pipe.onMessage = (bytes) => void heard.push(Buffer.from(bytes).toString());
  pipe.onDrain = () => void heard.push('drain');
  pipe.onClose = (reason) => void heard.push(`closed: ${reason}`);
  return { pipe, sent, closed, heard };
}

const text = (words: string): Uint8Array => Buffer.from(words);

describe('one of several pipes of a stream', () => {
  it('counts what has not left, and says when it has', () => {
    const { pipe, sent, heard } = open();
    pipe.send(text('abc'));
    pipe.send(text('de'));
    expect(pipe.bufferedBytes()).toBe(5);
    sent[0]?.done();
    expect([pipe.bufferedBytes(), heard]).toEqual([2, ['drain']]);
  });

  it('keeps what comes while its reader has paused, in order, and stops again where the reader does', () => {
    const { pipe, heard } = open();
    pipe.pause();
    for (const word of ['one', 'two', 'three']) pipe.receive(text(word));
    expect(heard).toEqual([]);
    const listen = pipe.onMessage;
    pipe.onMessage = (bytes) => {
      listen(bytes);
      if (heard.length === 2) pipe.pause();
    };
    pipe.resume();
    expect(heard).toEqual(['one', 'two']);
    pipe.resume();
    expect(heard).toEqual(['one', 'two', 'three']);
  });

  it('is given up when a reader that has paused has too much before it: the stream is others’ as well', () => {
    const { pipe, closed, heard } = open();
    pipe.pause();
    for (let count = 0; count < 3; count++) pipe.receive(new Uint8Array(MAX_MESSAGE_BYTES));
    expect(closed).toEqual(['the other side does not read']);
    expect(heard).toEqual(['closed: the other side does not read']);
  });

  it('ends once, whoever ends it, and takes and gives nothing then', () => {
    const here = open();
    here.pipe.close(1001, 'done');
    here.pipe.ended('too late');
    here.pipe.receive(text('late'));
    here.pipe.send(text('late'));
    expect([here.closed, here.heard, here.sent]).toEqual([['done'], ['closed: done'], []]);
    const there = open();
    there.pipe.ended('gone');
    there.pipe.close(1001, 'too late');
    expect([there.closed, there.heard]).toEqual([[], ['closed: gone']]);
  });
});
