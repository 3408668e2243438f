import type { ComponentChildren } from 'preact'

interface FormProps {
  readonly class?: string
  readonly submit: () => Promise<void>
  readonly children: ComponentChildren
}

/** A form that runs `submit` and stays on its page. */
export function Form({ class: name, submit, children }: FormProps) {
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
    </form>
  )
}
