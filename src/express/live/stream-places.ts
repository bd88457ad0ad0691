/** The number of streams and held requests that one web session may have open: four windows side by side. */
const maxPerWebSession = 4
/** The number for all web sessions of one user in this process. */
const maxPerUser = 8

/** The owner of a stream or held request. */
export interface StreamOwner {
  readonly userKey: string
  readonly webSession: string
}

interface Place {
  readonly webSession: string
  readonly makeRoom: () => void
}

/** Limits the connections that one account can hold open. Each process counts its own. */
export interface StreamPlaces {
  /**
   * Takes a place for a stream. Over the limit of a web session, its oldest connection has to make room, because that window was
   * probably left; over the limit of a user, no place is given, so that no web session can close the streams of another.
   *
   * @param makeRoom is called once when the place is given to another connection; it need not be left then.
   * @returns a function that leaves the place; undefined if there is none.
   */
  takeForStream(owner: StreamOwner, makeRoom: () => void): (() => void) | undefined
  /** Takes a place for a held request. It never replaces another connection, because the page asks again anyway. */
  takeForHeld(owner: StreamOwner, makeRoom: () => void): (() => void) | undefined
}

export function createStreamPlaces(): StreamPlaces {
  const byUser = new Map<string, Set<Place>>()

  function add(places: Set<Place>, { userKey, webSession }: StreamOwner, makeRoom: () => void): () => void {
    const place: Place = { webSession, makeRoom }
    byUser.set(userKey, places.add(place))
    return () => {
      places.delete(place)
      if (places.size === 0 && byUser.get(userKey) === places) byUser.delete(userKey)
    }
  }

  function placesOf({ userKey, webSession }: StreamOwner) {
    const places = byUser.get(userKey) ?? new Set<Place>()
    const sessionPlaces = [...places].filter((place) => place.webSession === webSession)
    return { places, oldest: sessionPlaces.length < maxPerWebSession ? undefined : sessionPlaces[0] }
  }

  return {
    takeForStream(owner, makeRoom) {
      const { places, oldest } = placesOf(owner)
      if (!oldest && places.size >= maxPerUser) return undefined
      if (oldest) {
        places.delete(oldest)
        oldest.makeRoom()
      }
      return add(places, owner, makeRoom)
    },
    takeForHeld(owner, makeRoom) {
      const { places, oldest } = placesOf(owner)
      return oldest || places.size >= maxPerUser ? undefined : add(places, owner, makeRoom)
    },
  }
}
