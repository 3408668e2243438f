import { open } from 'node:fs/promises'
import { decodeBytes } from '../../../base/text/decode-bytes.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { isBinary } from '../parse/read-source.ts'
import { languageOf } from '../languages/language-of.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { InBandError } from '../tools/in-band-error.ts'
import { findFile } from './find-file.ts'
import type { FileRequest } from './inputs.ts'

const MAX_LINES = 50_000
/** More than `MAX_LINES` lines of any code take. */
const MAX_BYTES = 16 * 1024 * 1024

/** Returns the text of a file, cut at a readable length. */
export async function readFileContent(
  request: FileRequest,
  deps: CodeDeps,
  context: ServiceContext,
): Promise<Record<string, unknown>> {
  const path = await findFile(request, deps, context)
  const { bytes, isWhole } = await readStart(path)
  if (isBinary(bytes)) throw new InBandError('Not text', `${request.path} is a binary file`)
  const all = decodeBytes(bytes).split('\n')
  if (all.at(-1) === '') all.pop()
  const lines = all.slice(0, MAX_LINES)
  const isCut = !isWhole || all.length > MAX_LINES
  return {
    content: lines.join('\n'),
    language: languageOf(path, all[0])?.id ?? 'text',
    lines: lines.length,
    ...(isCut && {
      truncated: true,
      message: `Only the first ${lines.length} lines are shown`,
    }),
  }
}

async function readStart(path: string): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    return { bytes: bytes.subarray(0, bytesRead), isWhole: size <= MAX_BYTES }
  } finally {
    await file.close()
  }
}
