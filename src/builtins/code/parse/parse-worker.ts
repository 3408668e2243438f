import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { readSource } from './read-source.ts'
import { findCalls, findNames } from './find-names.ts'
import { Grammars } from './grammars.ts'
import { SymbolParser } from './parse-symbols.ts'
import type { ParseAnswer, ParseRequest } from './parser-thread.ts'

const port = parentPort
if (!port) throw new Error('parse-worker runs only as a worker thread')

const grammars = new Grammars()
const parser = new SymbolParser(String(workerData), grammars)

port.on('message', (request: ParseRequest) => {
  void answer(request).then((reply) => port.postMessage(reply))
})

async function answer({ id, file, grammar, want }: ParseRequest): Promise<ParseAnswer> {
  try {
    const source = readSource(file)
    if (source.kind !== 'text') return { id }
    if (want === 'calls') return { id, names: await findCalls(grammars, grammar, source.text) }
    if (want !== 'symbols')
      return { id, names: await findNames(grammars, grammar, source.text, want.names) }
    const parsed = await parser.parse(grammar, source.text)
    return { id, hash: hash('sha1', source.bytes, 'base64url'), ...parsed }
  } catch (error) {
    return { id, parse: { status: 'error', message: String(error) } }
  }
}
