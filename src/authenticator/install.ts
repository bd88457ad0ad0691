import { useEffect, useState } from 'preact/hooks'

/** What Chromium offers where an app can be installed. It is in no standard, so no library knows it. */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

/** iOS alone has it, and says whether this is the installed app. */
interface AppleNavigator extends Navigator {
  readonly standalone?: boolean
}

/** Whether this is the browser of a system whose installed apps see nothing of what is stored in it. */
export function mustInstallFirst(): boolean {
  return (navigator as AppleNavigator).standalone === false
}

/** Asks the browser to install the app; undefined where it offers nothing. */
export function useInstall(): (() => Promise<void>) | undefined {
  const [offer, setOffer] = useState<InstallOffer>()

  useEffect(() => {
    const keep = (event: Event) => {
      // Otherwise some browsers ask at once, before anybody knows what this is.
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
