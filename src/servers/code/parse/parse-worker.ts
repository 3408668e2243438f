import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { readSource } from '../engine/read-source.ts'
import { SymbolParser } from './parse-symbols.ts'
import type { ParseAnswer, ParseRequest } from './parser-thread.ts'

const port = parentPort
if (!port) throw new Error('parse-worker runs only as a worker thread')

const parser = new SymbolParser(String(workerData))

port.on('message', (request: ParseRequest) => {
  void answer(request).then((reply) => port.postMessage(reply))
})

async function answer({ id, file, grammar }: ParseRequest): Promise<ParseAnswer> {
  try {
    const source = readSource(file)
    if (source.kind !== 'text') return { id }
    const parsed = await parser.parse(grammar, source.text)
    return { id, hash: hash('sha1', source.bytes, 'base64url'), ...parsed }
  } catch (error) {
    return { id, parse: { status: 'error', message: String(error) } }
  }
}
