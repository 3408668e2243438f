import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Colours text on a terminal unless `NO_COLOR` is set; `FORCE_COLOR` overrides both. */
export function createPaint(
  stream: { readonly isTTY?: boolean } = process.stdout,
  env: NodeJS.ProcessEnv = process.env,
) {
  const isColoured = env['FORCE_COLOR']
    ? env['FORCE_COLOR'] !== '0'
    : Boolean(stream.isTTY) && !env['NO_COLOR']
  return (style: Style, text: string): string => (isColoured ? styleText(style, text) : text)
}

export type Paint = ReturnType<typeof createPaint>
