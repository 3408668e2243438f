import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  /** Shown at the side of the page instead of in the middle. */
  readonly side?: boolean
  readonly children: ComponentChildren
}

/** The browser's own dialog: it keeps the focus, and Escape closes it. */
export function Dialog({ title, open, onClose, side = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    if (dialog === null) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
  }, [open])
  return (
    <dialog
      ref={element}
      class={side ? 'drawer' : ''}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close()
      }}
    >
      {open && (
        <div class="dialog-body">
          <header>
            <h2 id={id}>{title}</h2>
            <button type="button" class="quiet" onClick={() => element.current?.close()}>
              Close
            </button>
          </header>
          {children}
        </div>
      )}
    </dialog>
  )
}
