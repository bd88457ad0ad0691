const radius = 10
const circumference = 2 * Math.PI * radius

/** A ring that shows the time left; a text beside it says the same. @param props.share The part that is left, from 1 to 0. */
export function Ring({ share }: { readonly share: number }) {
  return (
    <svg class="ring" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <circle class="track" cx="12" cy="12" r={radius} />
      <circle
        class="rest"
        cx="12"
        cy="12"
        r={radius}
        stroke-dasharray={circumference}
        stroke-dashoffset={circumference * (1 - share)}
      />
    </svg>
  )
}
