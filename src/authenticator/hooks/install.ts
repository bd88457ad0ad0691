import { useEffect, useState } from 'preact/hooks'

/** Chromium's offer to install an app. It is not in a standard, so TypeScript has no type for it. */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

/** Exists only on iOS: whether this is the installed app. */
interface AppleNavigator extends Navigator {
  readonly standalone?: boolean
}

/** Whether this is a browser whose storage installed apps cannot read (iOS). */
export function mustInstallFirst(): boolean {
  return (navigator as AppleNavigator).standalone === false
}

/** Returns the function that installs the app; undefined where the browser does not offer it. */
export function useInstall(): (() => Promise<void>) | undefined {
  const [offer, setOffer] = useState<InstallOffer>()

  useEffect(() => {
    const keep = (event: Event) => {
      // Otherwise some browsers ask at once, before the person knows what this app is.
      event.preventDefault()
      setOffer(event as InstallOffer)
    }
    const forget = () => setOffer(undefined)
    addEventListener('beforeinstallprompt', keep)
    addEventListener('appinstalled', forget)
    return () => {
      removeEventListener('beforeinstallprompt', keep)
      removeEventListener('appinstalled', forget)
    }
  }, [])

  return offer && (async () => void (await offer.prompt()))
}
