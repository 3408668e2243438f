import { createBuiltinEmbedder } from '../src/search/embed/builtin-embedder.ts'
import { FURTHER, SIXTY, measureQuestions } from './clauses/measure-questions.ts'

/** Asks questions about manuals in PDF, by words alone and with the model of the package. */
const tell = (mode: string) => (line: string) => process.stderr.write(`${mode} ${line}\n`)
const words = await measureQuestions(SIXTY, undefined, tell('words'))
const both = await measureQuestions(SIXTY, createBuiltinEmbedder(), tell('both'))
const further = await measureQuestions(FURTHER, createBuiltinEmbedder(), tell('further'))
process.stdout.write(`RESULT ${JSON.stringify({ words, both, further })}\n`)
