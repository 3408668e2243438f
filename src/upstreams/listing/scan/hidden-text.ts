import { hasTags } from '../../../base/text/invisible.ts'
import type { ScanClass, TextFinding } from './finding.ts'
import { scanOrders } from './orders.ts'
import { UNSEEN, toQuote } from './to-quote.ts'

/** One way to hide text from people that models read. */
interface HiddenRule {
  readonly class: ScanClass
  readonly rule: string
  readonly reason: string
  /** Returns what is hidden, or the text around it; undefined if nothing is. */
  readonly find: (text: string) => string | undefined
}

const SELECTORS = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{3}/u
const TURNED = /[\u202A-\u202E\u2066-\u2069]/u
const ESCAPE = '\u001B'
const PRIVATE = /\p{Co}/gu
const CONTROL = /(?![\t\n\r\u0085])\p{Cc}/u
const PICTURE =
  /!\[[^\]]{0,100}\]\(\s{0,9}(?:https?:)?\/\/[^)?]{1,200}[?&][^)=]{0,100}=[^)]{0,50}\{/iu
const HIDDEN_STYLE =
  /<[a-z][^>]{0,200}?(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0)/iu
const GAP = /(?:\n[ \t]{0,80}){16}|[ \t]{120}/u
const ESCAPES =
  /(?:\\x[\da-f]{2}){8}|(?:\\u[\da-f]{4}){6}|(?:%[\da-f]{2}){10}|(?:&#x?[\da-f]{2,6};){6}/iu

const RULES: readonly HiddenRule[] = [
  {
    class: 'high',
    rule: 'hidden-text',
    reason: 'tag characters spell a text that nothing shows',
    find: (text) => (hasTags(text) ? spelled(text) : undefined),
  },
  {
    class: 'high',
    rule: 'hidden-text',
    reason: 'a row of variation selectors can hold any text',
    find: around(SELECTORS),
  },
  {
    class: 'high',
    rule: 'hidden-text',
    reason: 'private characters show nothing, and can hold any text',
    find: (text) => (countPrivate(text) > 2 ? around(PRIVATE)(text) : undefined),
  },
  {
    class: 'high',
    rule: 'turned-text',
    reason: 'direction controls show people another text',
    find: around(TURNED),
  },
  {
    class: 'high',
    rule: 'invisible-characters',
    reason: 'several characters that nothing shows hide words from a search',
    find: (text) => (countUnseen(text) > 2 ? around(UNSEEN)(text) : undefined),
  },
  {
    class: 'medium',
    rule: 'invisible-characters',
    reason: 'characters that nothing shows hide words from a search',
    find: (text) => (countUnseen(text) < 3 ? around(UNSEEN)(text) : undefined),
  },
  {
    class: 'high',
    rule: 'terminal-escape',
    reason: 'it controls the terminal in which people read it',
    find: (text) => (text.includes(ESCAPE) ? text.slice(text.indexOf(ESCAPE)) : undefined),
  },
  {
    class: 'medium',
    rule: 'control-character',
    reason: 'a private character shows nothing that people know',
    find: (text) => (countPrivate(text) < 3 ? around(PRIVATE)(text) : undefined),
  },
  {
    class: 'medium',
    rule: 'control-character',
    reason: 'no text has such a character',
    find: (text) => (text.includes(ESCAPE) ? undefined : around(CONTROL)(text)),
  },
  {
    class: 'medium',
    rule: 'html-comment',
    reason: 'people are not shown comments, models are',
    find(text) {
      const start = text.indexOf('<!--')
      return start !== -1 && text.includes('-->', start) ? text.slice(start) : undefined
    },
  },
  {
    class: 'high',
    rule: 'html-hidden',
    reason: 'its style hides it from people',
    find: around(HIDDEN_STYLE),
  },
  {
    class: 'high',
    rule: 'picture-address',
    reason: 'showing this picture sends data to its address',
    find: around(PICTURE),
  },
  {
    class: 'medium',
    rule: 'pushed-out-of-view',
    reason: 'empty space pushes the rest out of view',
    find: behind(GAP),
  },
  {
    class: 'medium',
    rule: 'encoded-text',
    reason: 'escapes spell a text',
    find: around(ESCAPES),
  },
  {
    class: 'high',
    rule: 'encoded-text',
    reason: 'it decodes to a command or an order',
    find: (text) => decodedTexts(text).find(isActive),
  },
  {
    class: 'low',
    rule: 'encoded-text',
    reason: 'it decodes to a readable text',
    find: (text) =>
      decodedTexts(text).find((decoded) => decoded.length > MIN_PLAIN && !isActive(decoded)),
  },
]

/** Finds text that people do not see although models read it. */
export function scanHidden(text: string): TextFinding[] {
  return RULES.flatMap(({ find, ...rule }) => {
    const found = find(text)
    return found === undefined ? [] : [{ ...rule, quote: toQuote(found) }]
  })
}

function around(pattern: RegExp) {
  return (text: string): string | undefined => {
    const index = text.search(pattern)
    return index === -1 ? undefined : text.slice(Math.max(0, index - 40), index + 120)
  }
}

function behind(pattern: RegExp) {
  return (text: string): string | undefined => {
    const found = pattern.exec(text.trimEnd())
    return found ? text.slice(found.index + found[0].length).trimStart() : undefined
  }
}

function countUnseen(text: string): number {
  return text.match(UNSEEN)?.length ?? 0
}

function countPrivate(text: string): number {
  return text.match(PRIVATE)?.length ?? 0
}

/** Returns the text that tag characters spell. */
function spelled(text: string): string {
  return Array.from(text, (char) => (char.codePointAt(0) ?? 0) - 0xe0000)
    .filter((code) => code >= 0x20 && code < 0x7f)
    .map((code) => String.fromCodePoint(code))
    .join('')
}

const BASE64 = /(?<![A-Za-z\d+/_-])[A-Za-z\d+/]{20,4096}={0,2}(?![A-Za-z\d+/=_-])/gu
const HEX = /(?<![\da-z])(?:[\da-f]{2}){24,2048}(?![\da-z])/giu
/** Shorter texts come about by chance. */
const MIN_PLAIN = 24
const WORDS = /[a-z]{2,20}[ ,.:/_&+-]{1,4}[a-z]{2,20}/iu

/** Returns every readable text that a part of the text encodes. */
function decodedTexts(text: string): string[] {
  const encodings = [[BASE64, 'base64'] as const, [HEX, 'hex'] as const]
  return encodings
    .flatMap(([pattern, encoding]) =>
      Array.from(text.matchAll(pattern), ([blob]) => Buffer.from(blob, encoding).toString('utf8')),
    )
    .filter(
      (decoded) =>
        (WORDS.test(decoded) || COMMAND.test(decoded)) &&
        !/[\uFFFD\p{Co}\p{Cn}\p{Cc}]/u.test(decoded.trim()),
    )
}

const COMMAND =
  /\b(?:curl|wget|bash|chmod|powershell|nc|eval|rm -rf)\b|\/bin\/(?:ba)?sh|\/dev\/tcp|\|\s?(?:ba|z)?sh\b/u

function isActive(decoded: string): boolean {
  return COMMAND.test(decoded) || scanOrders(decoded).length > 0
}
