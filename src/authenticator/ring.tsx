const radius = 10
const around = 2 * Math.PI * radius

/** A quiet ring; words beside it say the same. @param props.share What is left, from 1 to 0. */
export function Ring({ share }: { readonly share: number }) {
  return (
    <svg class="ring" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <circle class="track" cx="12" cy="12" r={radius} />
      <circle
        class="rest"
        cx="12"
        cy="12"
        r={radius}
        stroke-dasharray={around}
        stroke-dashoffset={around * (1 - share)}
      />
    </svg>
  )
}
