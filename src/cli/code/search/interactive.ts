import { createInterface } from 'node:readline/promises'
import { messageOf } from '../../../base/errors.ts'
import { isObject } from '../../../base/json/json.ts'
import { visible } from '../../../base/text/visible.ts'
import { type CodeSession, openCodeSession } from '../session/code-session.ts'
import { detectedIndex } from '../detected-index.ts'
import { drawingOn } from '../../shared/terminal/guard-terminal.ts'
import { type Paint, createPaint } from '../../shared/terminal/paint.ts'
import { renderSearch } from '../render.ts'
import { type SearchFlags, toArguments, toInput } from './run-search.ts'
import { wrongUsage } from '../wrong-usage.ts'

const HELP = `:limit N   :lang X   :context N   :index X   :indexes X,Y   :searchall   :help   quit`

type Settings = { -readonly [Key in keyof SearchFlags]: SearchFlags[Key] }

/** Runs searches in a loop, and loads the index only once. */
export async function runInteractive(flags: SearchFlags): Promise<void> {
  const paint = createPaint()
  const session = await openCodeSession()
  const here = await detectedIndex()
  const settings: Settings = { ...flags }
  const lines = createInterface({
    input: process.stdin,
    output: drawingOn(process.stdout),
    terminal: process.stdin.isTTY,
  })
  let isOpen = true
  lines.once('close', () => (isOpen = false))
  const prompt = (): void => {
    // Piped input ends before it is all answered, and Node 24 cannot prompt after that.
    if (!isOpen) return
    lines.setPrompt(paint('cyan', visible(`${settings.indexes ?? settings.index ?? here}> `)))
    lines.prompt()
  }
  try {
    process.stdout.write(`${paint('gray', HELP)}\n`)
    prompt()
    for await (const raw of lines) {
      const line = raw.trim()
      if (line === 'quit' || line === 'exit') break
      if (line !== '') process.stdout.write(`${await answer(line, settings, session, paint)}\n`)
      prompt()
    }
  } finally {
    lines.close()
    await session.close()
  }
}

/** Returns an error as text, so that the user can enter another line. */
async function answer(
  line: string,
  settings: Settings,
  session: CodeSession,
  paint: Paint,
): Promise<string> {
  try {
    return line.startsWith(':')
      ? await command(line, settings, session)
      : await search(line, settings, session, paint)
  } catch (error) {
    return paint('red', messageOf(error))
  }
}

async function search(
  line: string,
  settings: Settings,
  session: CodeSession,
  paint: Paint,
): Promise<string> {
  const items = await session.call('search_code', toArguments(toInput(line, settings)))
  return renderSearch(Array.isArray(items) ? items.filter(isObject) : [], paint)
}

async function command(line: string, settings: Settings, session: CodeSession): Promise<string> {
  const [name = '', value = ''] = line.split(/\s+/, 2)
  if (name === ':searchall') {
    const all = await session.call('list_indexes', {})
    settings.indexes = (Array.isArray(all) ? all : []).map((index) => String(index.name)).join(',')
    return `searching ${settings.indexes}`
  }
  const key = COMMANDS[name]
  if (!key) return HELP
  if (value === '') delete settings[key]
  else if ((key === 'limit' || key === 'context') && !/^\d+$/.test(value))
    throw wrongUsage(`${name} takes a number, not '${value}'`)
  else settings[key] = value
  if (key === 'index') delete settings.indexes
  return value === '' ? `${name.slice(1)}: as before` : `${name.slice(1)}: ${value}`
}

const COMMANDS: Readonly<Record<string, 'limit' | 'lang' | 'context' | 'index' | 'indexes'>> = {
  ':limit': 'limit',
  ':lang': 'lang',
  ':context': 'context',
  ':index': 'index',
  ':indexes': 'indexes',
}
