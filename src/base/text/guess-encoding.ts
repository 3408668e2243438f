/** An encoding of a script other than Latin. */
interface Candidate {
  readonly encoding: string
  /** Letters that are usual in its texts, and seldom in texts decoded in the wrong encoding. */
  readonly usual: RegExp
  /** Their share among all characters beyond ASCII. */
  readonly share: number
}

const KANA = { usual: /[\u3041-\u30FC]/g, share: 0.4 }
const CYRILLIC = { usual: /[а-яё]/g, share: 0.9 }
const CANDIDATES: readonly Candidate[] = [
  { encoding: 'shift_jis', ...KANA },
  { encoding: 'euc-jp', ...KANA },
  { encoding: 'euc-kr', usual: /[가-힣]/g, share: 0.9 },
  { encoding: 'windows-1251', ...CYRILLIC },
  { encoding: 'koi8-r', ...CYRILLIC },
  { encoding: 'windows-1253', usual: /[ά-ώ]/g, share: 0.9 },
  {
    encoding: 'gb18030',
    usual:
      /[的一是不了在人有我他这个们中来上大为和国地到以时要就出会可也对能用行所方多法如同文件本数据]/g,
    share: 0.25,
  },
  {
    encoding: 'big5',
    usual:
      /[的一是不了在人有我他這個們中來上大為和國地到以時要就出會可也對能用行所方多法如同文件本數據]/g,
    share: 0.25,
  },
]

const WESTERN = 'windows-1252'
const SAMPLE_BYTES = 64 * 1024
/** Less than this share of the usual letters does not show an encoding. */
const MIN_SCORE = 0.5
/** An invalid byte counts against an encoding like the lack of this many usual letters. */
const INVALID_COUNTS = 5

/** Returns the encoding of a text that declares none and is not UTF-8. */
export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  if (!isMostlyRuns(sample)) return WESTERN
  let best = { encoding: WESTERN, score: MIN_SCORE }
  for (const { encoding, usual, share } of CANDIDATES) {
    const text = new TextDecoder(encoding).decode(sample)
    const count = (what: RegExp) => text.match(what)?.length ?? 0
    const found = count(usual) - INVALID_COUNTS * count(/\uFFFD/g)
    const score = found / count(/[^\0-\x7F\xA0]/gu) / share
    if (score > best.score) best = { encoding, score }
  }
  return best.encoding
}

/** Whether bytes beyond ASCII mostly follow each other; in Latin scripts, more than two seldom do. */
function isMostlyRuns(bytes: Uint8Array): boolean {
  let inRuns = 0
  let others = 0
  let run = 0
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at] ?? 0
    // A no-break space counts as a space.
    if (byte > 0x7f && byte !== 0xa0) run++
    else {
      if (run > 2) inRuns += run
      else others += run
      run = 0
    }
  }
  return inRuns > others
}
