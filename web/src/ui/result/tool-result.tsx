import { useSignal } from '@preact/signals'
import { Segments } from '../fields.tsx'
import { visible } from '../text/visible.ts'
import { JsonTree } from './json-tree.tsx'
import { isMarkdown } from './markdown.ts'
import { MarkdownText } from './markdown-text.tsx'
import { type ResultPart, readResult } from './read-result.ts'

const VIEWS = [
  { value: 'read', name: 'Readable' },
  { value: 'tree', name: 'Tree' },
  { value: 'json', name: 'JSON' },
]
const MAX_ROWS = 200

interface ToolResultProps {
  readonly label: string
  /** JSON text, which may be cut. */
  readonly text: string
}

/** The result of a tool as people read it: text, tables, images; or as JSON. */
export function ToolResult({ label, text }: ToolResultProps) {
  const view = useSignal('read')
  const read = parse(text)
  if (read === undefined) return <JsonText label={label} text={text} />
  return (
    <div class="result">
      <Segments
        label={`How to show ${label}`}
        choices={VIEWS}
        value={view.value}
        onChange={(value) => (view.value = value)}
      />
      {view.value === 'json' && <JsonText label={label} text={indented(text)} />}
      {view.value === 'tree' && <JsonTree value={read.value} />}
      {view.value === 'read' &&
        readResult(read.value).map((part, n) => <Part key={n} part={part} label={label} />)}
    </div>
  )
}

function JsonText({ label, text }: ToolResultProps) {
  return (
    <pre class="block" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  )
}

function Part({ part, label }: { readonly part: ResultPart; readonly label: string }) {
  switch (part.kind) {
    case 'text':
      return isMarkdown(part.text) ? (
        <MarkdownText text={part.text} />
      ) : (
        <p class="pre result-text">{part.text}</p>
      )
    case 'json':
      return <JsonTree value={part.value} />
    case 'records':
      return <Records label={label} part={part} />
    case 'image':
      return <img class="result-image" src={part.source} alt={`Image of type ${part.type}`} />
    case 'audio':
      return <p class="small">Audio of type {part.type}: see the JSON.</p>
    case 'link':
      return (
        <p>
          {visible(part.name)} <code>{part.uri}</code>
        </p>
      )
  }
}

interface RecordsProps {
  readonly label: string
  readonly part: Extract<ResultPart, { kind: 'records' }>
}

function Records({ label, part: { rows, columns } }: RecordsProps) {
  return (
    <>
      <div class="table-box" tabIndex={0} role="region" aria-label={`${label}, as a table`}>
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {visible(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row, n) => (
              <tr key={n}>
                {columns.map((name) => (
                  <td key={name} class={typeof row[name] === 'number' ? 'number' : undefined}>
                    <Cell value={row[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MAX_ROWS && (
        <p class="small">
          The first {MAX_ROWS} of {rows.length}: the JSON has all.
        </p>
      )}
    </>
  )
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null) return <span class="dim">–</span>
  if (typeof value === 'object') return <JsonTree value={value} depth={2} />
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Numbers that JavaScript would round are shown as they came. */
function indented(text: string): string {
  return /(?<![\w.])-?\d{16,}/.test(text) ? text : JSON.stringify(JSON.parse(text), null, 2)
}
