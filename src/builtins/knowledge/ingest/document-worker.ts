import { parentPort } from 'node:worker_threads'
import { serveDocuments } from './serve-documents.ts'
import { countTokens } from '../../../shaping/tokens.ts'

if (!parentPort) throw new Error('document-worker runs only as a worker thread')

serveDocuments(parentPort, (text) => countTokens(text, 'cl100k_base'))
