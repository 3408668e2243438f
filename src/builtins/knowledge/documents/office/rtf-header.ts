import { isCodeStyle, isContentsStyle } from '../word-styles.ts'

export type Decoder = InstanceType<typeof TextDecoder>

/** What the style of a paragraph says about it. */
export interface Style {
  /** The outline level of the paragraph, if it is a heading. */
  readonly level: number | undefined
  readonly isCode: boolean
  /** Whether it belongs to a table of contents. */
  readonly isContents: boolean
}

/** Returns the styles of headings, which have a level or are named so, and those of code. */
export function stylesOf(source: string): Map<number, Style> {
  const styles = new Map<number, Style>()
  for (const [, style, words = ''] of source.matchAll(STYLE)) {
    const [, outline] = /\\outlinelevel(\d)/.exec(words) ?? []
    const [, heading] = /heading (\d)$/i.exec(words) ?? []
    const level = outline ?? (heading === undefined ? undefined : Number(heading) - 1)
    const name = words.replaceAll(/\\[a-z]+-?\d* ?/g, '').trim()
    styles.set(Number(style), {
      level: level === undefined ? undefined : Number(level),
      isCode: isCodeStyle(name),
      isContents: isContentsStyle(name),
    })
  }
  return styles
}

const STYLE = /\{\\s(\d+)([^{};]*);\}/gi

/** Returns the decoders of the fonts that are for a script of their own. */
export function fontDecoders(source: string, usual: Decoder): Map<number, Decoder> {
  const fonts = new Map<number, Decoder>()
  for (const [, font, charset = ''] of source.matchAll(FONT)) {
    const codePage = CODE_PAGES[charset]
    fonts.set(Number(font), codePage === undefined ? usual : decoderOf(codePage))
  }
  return fonts
}

const FONT = /\{\\f(\d+)\\[^{};]*?\\fcharset(\d+)/g

const CODE_PAGES: Readonly<Record<string, string>> = {
  '128': '932',
  '129': '949',
  '134': '936',
  '136': '950',
  '161': '1253',
  '162': '1254',
  '177': '1255',
  '178': '1256',
  '186': '1257',
  '204': '1251',
  '222': '874',
  '238': '1250',
}

const ENCODINGS: Readonly<Record<string, string>> = {
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
}

/** Returns the decoder for a code page, or that of Windows-1252 for an unknown one. */
export function decoderOf(codePage: string): Decoder {
  try {
    return new TextDecoder(ENCODINGS[codePage] ?? `windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
