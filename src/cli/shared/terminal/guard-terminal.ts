import { visible } from '../../../base/text/visible.ts'

/** From now on this terminal shows control characters in what is printed on it, and obeys none but colours. */
export function guardTerminal(output: NodeJS.WriteStream): void {
  if (!output.isTTY) return
  const write = output.write.bind(output)
  output.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean =>
    Reflect.apply(write, output, [typeof chunk === 'string' ? visible(chunk) : chunk, ...rest])
}
