const START = 0xd8;
const HUFFMAN_TABLES = 0xc4;
const SCAN = 0xda;
const end = Buffer.from('ffd9', 'hex');

/** ISO/IEC 10918-1, K.3: the default tables, each with class and number, counts by length, and values. */
const tables = [
  '00' + '00010501010101010100000000000000' + '000102030405060708090a0b',
  '10' +
    '0002010303020403050504040000017d' +
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a' +
    '434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9' +
    'aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  '01' + '00030101010101010101010000000000' + '000102030405060708090a0b',
  '11' +
    '00020102040403040705040400010277' +
    '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a3536373839' +
    '3a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7' +
    'a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
];
const content = Buffer.from(tables.join(''), 'hex');
const length = content.length + 2;
const huffmanSegment = Buffer.concat([Buffer.of(0xff, HUFFMAN_TABLES, length >> 8, length & 0xff), content]);

/**
 * Turns a device's MJPEG picture into a JPEG that any program can read: devices leave out the Huffman tables, which are
 * always the same.
 * @returns undefined if the picture is not complete
 */
export function completeJpeg(picture: Buffer): Buffer | undefined {
  const ends = picture.lastIndexOf(end);
  if (picture[0] !== 0xff || picture[1] !== START || ends < 2) return undefined;
  let hasTables = false;
  for (let at = 2; at + 4 <= ends; at += 2 + picture.readUInt16BE(at + 2)) {
    if (picture[at] !== 0xff) return undefined;
    const marker = picture[at + 1];
    if (marker === HUFFMAN_TABLES) hasTables = true;
    if (marker !== SCAN) continue;
    if (hasTables) return picture;
    return Buffer.concat([picture.subarray(0, at), huffmanSegment, picture.subarray(at)]);
  }
  return undefined;
}
