import { apiBase } from '../../session/mount.ts'

interface AppImageProps {
  readonly domainId: string
  /** Another value reloads the image. */
  readonly version?: number
}

/** The image beside the name of an app, which says the same. */
export function AppImage({ domainId, version = 0 }: AppImageProps) {
  const query = version === 0 ? '' : `?version=${version}`
  // An organization may have hundreds of apps: all images at once would hold up what the person does next.
  return <img class="app-image" alt="" loading="lazy" src={`${apiBase}/admin/domains/${domainId}/image${query}`} />
}
