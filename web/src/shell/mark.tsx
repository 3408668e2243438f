/** The compass rose of the product. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <circle cx="12" cy="12" r="10.5" class="mark-ring" />
      <path d="M12 2.5 14 10 12 12 10 10Z" class="mark-north" />
      <path
        d="M21.5 12 14 14 12 12 14 10ZM12 21.5 10 14 12 12 14 14ZM2.5 12 10 10 12 12 10 14Z"
        class="mark-points"
      />
    </svg>
  )
}
