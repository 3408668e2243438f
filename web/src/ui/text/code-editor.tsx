import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Highlighted } from './highlighted.tsx'

interface CodeEditorProps {
  readonly label: string
  readonly text: Signal<string>
}

const MIN_ROWS = 8

/**
 * A field for source: the text that is written lies, without colour, over the same text with colours.
 * Tab leaves it, as it leaves any field.
 */
export function CodeEditor({ label, text }: CodeEditorProps) {
  const id = useId()
  const rows = Math.max(MIN_ROWS, text.value.split('\n').length + 1)
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <div class="code-editor">
        <pre aria-hidden="true">
          <Highlighted text={text.value} />
        </pre>
        <textarea
          id={id}
          rows={rows}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
      </div>
    </div>
  )
}
