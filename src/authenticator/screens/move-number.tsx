/** A number that both phones show: an attacker can choose the name of a phone, and not the id that the service gives it. */
export function MoveNumber({ device }: { readonly device: string }) {
  return <p class="move-number">{10 + (Number.parseInt(device.slice(0, 8), 16) % 90)}</p>
}
