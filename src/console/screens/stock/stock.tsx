import { useState } from 'preact/hooks'

import type { StockFilter, StockToken } from '../../../admin-contract/stock.ts'
import { helpDeskSerialLength } from '../../../admin-contract/stock-limits.ts'
import { queryShapes } from '../../../admin-contract/query-shapes.ts'
import { fob } from '../../../ui/icons.ts'
import { Page } from '../../parts/page.tsx'
import { FilterChoice, ListBar } from '../../parts/list-bar.tsx'
import { Pages, Range } from '../../parts/pages.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Empty, WhenLoaded } from '../../parts/states.tsx'
import { importTokens, stockPlace, type StockQuery } from '../../session/places.ts'
import { readValue } from '../../session/read-value.ts'
import { Link, useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { ScanButton } from './scan-button.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { TokenList } from './token-list.tsx'

const filters: readonly StockFilter[] = ['free', 'assigned', 'out_of_sync']

/**
 * The hardware tokens of the organization. The search has the focus from the start, because a handheld scanner types the serial
 * number and Enter, which opens the token.
 */
export function StockScreen() {
  const { stock, filter } = useWords()
  const { client } = useSignedIn()
  const { place, go } = useRouter()
  const query = readQuery(place.query)
  const loaded = useLoad(stockPlace(query), () => client.call('GET /admin/stock', { query }), { keep: true })
  const [opened, setOpened] = useState<StockToken>()
  /** Whether a scanned code is being looked up, whose token opens then. */
  const [scanned, setScanned] = useState<string>()
  const { value, current } = loaded
  const search = (q: string) => go(stockPlace({ ...query, q, from: undefined }), true)

  function openFound() {
    const token = value && onlyOne(value.tokens, query.q)
    if (token) setOpened(token)
    else document.querySelector<HTMLElement>('.row-link')?.focus()
  }
  if (scanned !== undefined && current && query.q === scanned) {
    setScanned(undefined)
    openFound()
  }
  const actions = value?.changeable ? (
    <Link to={importTokens} class="button filled">
      {stock.import.title}
    </Link>
  ) : undefined
  return (
    <Page title={stock.title} sentence={stock.sentence} actions={actions}>
      <ListBar range={current && value ? <Range page={value} rows={value.tokens.length} /> : null}>
        <SearchField
          label={stock.search}
          hint={stock.searchHint}
          value={query.q ?? ''}
          found={current}
          onSearch={search}
          autofocus
          onEnter={openFound}
        />
        <ScanButton
          onText={(text) => {
            setScanned(text)
            search(text)
          }}
        />
        <FilterChoice
          label={filter}
          all={stock.all}
          filters={filters.map((each) => [each, stock.filters[each]])}
          filter={query.filter}
          onChoose={(each) => go(stockPlace({ ...query, filter: each, from: undefined }))}
        />
      </ListBar>
      <WhenLoaded loaded={loaded}>
        {(page) => (
          <>
            {page.tokens.length > 0 ? (
              <TokenList tokens={page.tokens} onOpen={setOpened} />
            ) : (
              <NoTokens query={query} changeable={page.changeable} />
            )}
            <Pages page={page} size={stockPageSize} placeFrom={(from) => stockPlace({ ...query, from })} />
          </>
        )}
      </WhenLoaded>
      {opened ? (
        <TokenDialog
          token={opened}
          changeable={value?.changeable ?? false}
          onChanged={loaded.reload}
          onClose={() => {
            setOpened(undefined)
            selectSearch()
          }}
        />
      ) : null}
    </Page>
  )
}

/** The service shows as many at once. */
const stockPageSize = 50

function readQuery(parameters: URLSearchParams): StockQuery {
  return {
    q: readValue(parameters, 'q', queryShapes.q),
    filter: filters.find((each) => each === parameters.get('filter')),
    from: readValue(parameters, 'from', queryShapes.from),
  }
}

/** The token that was entered: the one with exactly this serial number, or the only one that was found. */
function onlyOne(tokens: readonly StockToken[], text = ''): StockToken | undefined {
  const serial = text.trim().toLowerCase()
  const exact = tokens.filter(({ serialNumber }) => serialNumber.toLowerCase() === serial)
  const shownTokens = exact.length > 0 ? exact : tokens
  return serial !== '' && shownTokens.length === 1 ? shownTokens[0] : undefined
}

/** The next code of a scanner then replaces the last one. A row that the person opened keeps the focus. */
function selectSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search')
  const { activeElement } = document
  if (activeElement !== field && activeElement !== document.body) return
  field?.focus()
  field?.select()
}

interface QueryProps {
  readonly query: StockQuery
}

function NoTokens({ query: { q = '', filter, from }, changeable }: QueryProps & { readonly changeable: boolean }) {
  const { stock } = useWords()
  const { role } = useSignedIn().session.administrator
  const isFiltered = q !== '' || filter !== undefined || from !== undefined
  const isHidden = role === 'helpdesk' && q.trim().length < helpDeskSerialLength
  return (
    <Empty icon={fob}>
      <p>{isHidden ? stock.helpDesk : isFiltered ? stock.noneFound : changeable ? stock.importFirst : stock.none}</p>
    </Empty>
  )
}
