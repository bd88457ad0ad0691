import '../../../examples/single-page-app/with-any-library.js'

import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

async function call(path, init) {
  const answer = await fetch(path, init)
  if (!answer.ok) throw new Error(String(answer.status))
  return answer.json()
}

/** An app as people write it, which knows of no second step. React Query repeats a query that failed three times. */
function App() {
  const list = useQuery({ queryKey: ['list'], queryFn: () => call('/list') })
  const pay = useMutation({ mutationFn: () => call('/pay', { method: 'POST' }) })
  const failed = list.error ?? pay.error
  if (failed) sessionStorage.setItem('shown error', failed.message)
  return createElement(
    'main',
    null,
    createElement('h1', null, list.data ? `List of ${list.data.list}` : 'Loading'),
    createElement('button', { onClick: () => pay.mutate() }, 'Pay'),
    createElement('p', null, pay.data ? `Paid ${pay.data.paid}` : ''),
  )
}

createRoot(document.body).render(createElement(QueryClientProvider, { client: new QueryClient() }, createElement(App)))
