import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const TINY_DIMENSION = 8
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']

/** Writes a model folder whose only layer is a table lookup: small, real, and deterministic. */
export function writeTinyModel(folder: string, words: readonly string[]): void {
  const vocabulary = [...SPECIAL, ...words]
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  writeFileSync(join(folder, 'onnx', 'model.onnx'), model(vocabulary.length))
  writeJson(folder, 'config.json', { model_type: 'bert', hidden_size: TINY_DIMENSION })
  writeJson(folder, 'tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    model_max_length: 128,
  })
  writeJson(folder, 'tokenizer.json', {
    version: '1.0',
    added_tokens: SPECIAL.map((content, id) => ({ id, content, special: true })),
    normalizer: { type: 'BertNormalizer', lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  })
}

function writeJson(folder: string, name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value))
}

const FLOAT = 1
const INT64 = 7

/** ONNX is a protocol buffer; the numbers are its field numbers. */
function model(vocabulary: number): Buffer {
  const table = Float32Array.from({ length: vocabulary * TINY_DIMENSION }, (_, n) =>
    Math.sin(n * n),
  )
  const initializer = message(
    number(1, vocabulary),
    number(1, TINY_DIMENSION),
    number(2, FLOAT),
    text(8, 'table'),
    bytes(9, Buffer.from(table.buffer)),
  )
  const node = message(
    text(1, 'table'),
    text(1, 'input_ids'),
    text(2, 'last_hidden_state'),
    text(4, 'Gather'),
  )
  const graph = message(
    bytes(1, node),
    text(2, 'tiny'),
    bytes(5, initializer),
    bytes(11, tensor('input_ids', INT64, ['batch', 'length'])),
    bytes(11, tensor('attention_mask', INT64, ['batch', 'length'])),
    bytes(12, tensor('last_hidden_state', FLOAT, ['batch', 'length', 'width'])),
  )
  return message(number(1, 8), bytes(7, graph), bytes(8, message(text(1, ''), number(2, 13))))
}

function tensor(name: string, type: number, dimensions: readonly string[]): Buffer {
  const shape = message(...dimensions.map((dimension) => bytes(1, text(2, dimension))))
  const tensorType = message(number(1, type), bytes(2, shape))
  return message(text(1, name), bytes(2, bytes(1, tensorType)))
}

function message(...fields: Buffer[]): Buffer {
  return Buffer.concat(fields)
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)])
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value))
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const out: number[] = []
  let rest = value
  while (rest > 127) {
    out.push((rest & 127) | 128)
    rest >>>= 7
  }
  return Buffer.from([...out, rest])
}
