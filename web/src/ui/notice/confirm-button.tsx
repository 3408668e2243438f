import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { act } from '../../api/act.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmButtonProps {
  readonly label: string
  /** The whole action for screen readers, where the label alone is not clear. */
  readonly describedAs: string
  /** The question, as the title of the dialog. */
  readonly question: string
  /** The verb of the button that does it. */
  readonly verb: string
  readonly action: () => Promise<void>
  /** What it means. */
  readonly children: ComponentChildren
}

/** A button whose action needs a second one, in a dialog that says what it means. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, describedAs, question, verb, action, children } = props
  const asking = useSignal(false)
  const close = () => (asking.value = false)
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={describedAs}
        onClick={() => (asking.value = true)}
      >
        {label}
      </button>
      <Dialog title={question} open={asking.value} onClose={close}>
        <p>{children}</p>
        <p class="buttons">
          <button
            type="button"
            class="danger"
            onClick={() => {
              close()
              void act(action)
            }}
          >
            {verb}
          </button>{' '}
          <button type="button" onClick={close}>
            Cancel
          </button>
        </p>
      </Dialog>
    </>
  )
}
