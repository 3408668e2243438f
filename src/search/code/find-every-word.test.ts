import { describe, expect, it } from 'vitest'
import { CodeIndex } from './code-index.ts'

/** Each text, and words of it that no other text has. */
const TEXTS = {
  german: '# prüft die Größe und Länge, gibt zurück: übermäßig, Straße, Maß\n',
  french: '// la clé privée de l’élève; où est-elle, déjà vérifiée à Noël\n',
  spanish: '/* el tamaño del año, según la contraseña */\n',
  polish: '// źródło żądań, łączność\n',
  vietnamese: '// kiểm tra số dư tài khoản\n',
  cyrillic: '# вычисляет остаток пользователя, ёлка, майский\n',
  greek: '# υπολογίζει το υπόλοιπο χρήστη, ΟΔΟΣ, τέλος\n',
  chinese: '# 计算用户的余额，返回结果\n',
  japanese: '# ユーザーの残高を計算する、データ\n',
  korean: '# 사용자의 잔액을 계산한다\n',
  mixed: '# 用户Name列表, größe_max, berechneLänge, naïveTokenizer\n',
} as const

function anIndex(): CodeIndex {
  const index = new CodeIndex()
  for (const [name, text] of Object.entries(TEXTS)) {
    const chunks = [{ startLine: 1, endLine: 1, text, definitions: [] }]
    index.set({ path: `${name}.py`, chunks })
  }
  return index
}

const pathsFor = (query: string) =>
  anIndex()
    .search(query, { limit: 20 })
    .map(({ path }) => path)

describe('every word of a file finds the file', () => {
  it.each(Object.entries(TEXTS))('in %s', (name, text) => {
    const words = text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
    expect(words.filter((word) => !pathsFor(word).includes(`${name}.py`))).toEqual([])
    expect(words.length).toBeGreaterThan(1)
  })

  it.each(Object.entries(TEXTS))(
    'in %s, with all marks written apart from their letters',
    (name, text) => {
      const words = text.normalize('NFD').match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
      expect(words.filter((word) => !pathsFor(word).includes(`${name}.py`))).toEqual([])
    },
  )

  it.each([
    ['größe', 'mixed'],
    ['Länge', 'mixed'],
    ['naive', 'mixed'],
    ['列表', 'mixed'],
    ['Name', 'mixed'],
    ['余额', 'chinese'],
    ['残高', 'japanese'],
    ['cle privee', 'french'],
  ])('%s, a part of a word or its plain spelling, finds %s', (query, name) => {
    expect(pathsFor(query)).toContain(`${name}.py`)
  })

  it.each(['Größen', 'балансировка', '余数', 'clef'])(
    '%s, which stands nowhere, finds nothing',
    (query) => {
      expect(pathsFor(query)).toEqual([])
    },
  )

  it('finds a word in a long sentence without spaces', () => {
    const index = anIndex()
    const text = `# ${'这是一个很长的句子'.repeat(12)}校验签名`
    index.set({ path: 'long.py', chunks: [{ startLine: 1, endLine: 1, text, definitions: [] }] })
    expect(index.search('签名').map(({ path }) => path)).toEqual(['long.py'])
  })

  it('finds a file by an accented word of its path', () => {
    const index = anIndex()
    index.set({
      path: 'src/größe.py',
      chunks: [{ startLine: 1, endLine: 1, text: 'pass', definitions: [] }],
    })
    expect(index.search('Größe')[0]?.path).toBe('src/größe.py')
  })
})
