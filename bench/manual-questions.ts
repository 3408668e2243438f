import { createBuiltinEmbedder } from '../src/search/embed/builtin-embedder.ts'
import { measureQuestions } from './clauses/measure-questions.ts'

/** Sixty questions over three manuals in PDF, by words alone and with the model of the package. */
const tell = (mode: string) => (line: string) => process.stderr.write(`${mode} ${line}\n`)
const words = await measureQuestions(undefined, tell('words'))
const both = await measureQuestions(createBuiltinEmbedder(), tell('both'))
process.stdout.write(`RESULT ${JSON.stringify({ words, both })}\n`)
