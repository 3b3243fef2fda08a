import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../shared/machine/machine-view.ts';
import {
  applied,
  discarded,
  draftOf,
  edited,
  isDirty,
  keptMine,
  received,
  restored,
  tookTheirs,
  toStored,
} from './config-draft.ts';

const documentOf = (text: string, revision: string): ConfigDocument => ({
  text,
  revision,
  source: 'file',
  path: '/etc/machine.json',
  isReadOnly: false,
  result: undefined,
});

describe('the draft', () => {
  it('has no changes after typing and undoing it', () => {
    const typed = edited(draftOf(documentOf('{}', '1')), '{ }');
    expect(isDirty(typed)).toBe(true);
    expect(isDirty(edited(typed, '{}'))).toBe(false);
  });

  it('follows a change from elsewhere while it is clean', () => {
    const draft = received(draftOf(documentOf('old', '1')), documentOf('new', '2'));
    expect(draft).toEqual(draftOf(documentOf('new', '2')));
  });

  it('keeps the typed text when another text arrives, and stores the other text too', () => {
    const draft = received(edited(draftOf(documentOf('old', '1')), 'mine'), documentOf('theirs', '2'));
    expect(draft.text).toBe('mine');
    expect(draft.base.revision).toBe('1');
    expect(draft.theirs?.text).toBe('theirs');
    expect(tookTheirs(draft)).toEqual(draftOf(documentOf('theirs', '2')));
    const kept = keptMine(draft);
    expect(kept).toEqual({ base: { text: 'theirs', revision: '2' }, text: 'mine', theirs: undefined });
  });

  it('has no conflict when somebody else made the same change', () => {
    const draft = received(edited(draftOf(documentOf('old', '1')), 'same'), documentOf('same', '2'));
    expect(draft).toEqual(draftOf(documentOf('same', '2')));
  });

  it('has no conflict when the other side returned to the text that the draft was made from', () => {
    const mine = edited(draftOf(documentOf('old', '1')), 'mine');
    const back = received(received(mine, documentOf('theirs', '2')), documentOf('old', '3'));
    expect(back).toEqual({ base: { text: 'old', revision: '3' }, text: 'mine', theirs: undefined });
  });

  it('keeps what is typed while an apply runs as a change', () => {
    const sent = edited(draftOf(documentOf('old', '1')), 'sent');
    const after = applied(edited(sent, 'sent and more'), 'sent', '2');
    expect(after).toEqual({ base: { text: 'sent', revision: '2' }, text: 'sent and more', theirs: undefined });
    expect(isDirty(after)).toBe(true);
  });

  it('is clean after an apply if the machine reported the text before it answered', () => {
    const sent = edited(draftOf(documentOf('old', '1')), 'sent');
    const echoed = received(sent, documentOf('sent', '2'));
    expect(isDirty(applied(echoed, 'sent', '2'))).toBe(false);
  });

  it('survives a reload, with the same and with a newer configuration', () => {
    const stored = toStored(edited(draftOf(documentOf('old', '1')), 'mine'));
    if (stored === undefined) throw new Error('a changed draft must be kept');
    expect(restored(stored, documentOf('old', '1')).text).toBe('mine');
    const over = restored(stored, documentOf('theirs', '2'));
    expect([over.text, over.theirs?.text]).toEqual(['mine', 'theirs']);
    expect(toStored(draftOf(documentOf('old', '1')))).toBeUndefined();
  });

  it('is the applied text after discarding, also if that is newer', () => {
    const mine = edited(draftOf(documentOf('old', '1')), 'mine');
    expect(discarded(mine).text).toBe('old');
    expect(discarded(received(mine, documentOf('theirs', '2')))).toEqual(draftOf(documentOf('theirs', '2')));
  });

  it('never loses typed text, whatever arrives from elsewhere in whatever order', () => {
    const texts = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(texts, fc.array(texts, { maxLength: 8 }), (mine, arriving) => {
        let draft = edited(draftOf(documentOf('start', '0')), `${mine} typed`);
        arriving.forEach((text, index) => (draft = received(draft, documentOf(text, String(index + 1)))));
        expect(draft.text).toBe(`${mine} typed`);
        const last = arriving.at(-1);
        if (last !== undefined) expect(draft.theirs?.text).toBe(last);
      }),
    );
  });
});
