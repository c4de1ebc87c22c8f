import { type DataSize, SMALL } from '../data/size.ts';
import { GROWTH_TARGET, TARGETS } from '../targets.ts';
import { type Build, type Contestant, PEERS, type PeerName, serviceOf } from './contestant.ts';
import { CREATE, GET, GRAPHQL_CREATE, GRAPHQL_GET, GRAPHQL_LIST, LIST, ORDER, UPDATE } from './names.ts';
import * as workloads from './workload.ts';

/** A contestant on one of the databases. */
export interface Entrant {
  readonly name: string;
  readonly contestant: Contestant;
  readonly data: DataSize;
}

/** Entrants that do the same work in turns; the others are compared with the first. */
export interface Contest {
  readonly name: string;
  /** The difference between the entrants. Of contestants, the responses and latencies are compared too. */
  readonly differIn: 'Contestant' | 'Data' | 'Processes';
  readonly workload: workloads.Workload;
  /** The number of different requests. */
  readonly variety: number;
  readonly entrants: readonly Entrant[];
  /** The minimum ratio of the first to each other entrant, by name. */
  readonly targets: Readonly<Record<string, number>>;
}

const VARIETY = 4_000;
/** Requests for that many pets of the large database read more than PostgreSQL's cache holds. */
const PETS_PER_REQUEST = 250;

type Work = readonly [name: string, workload: workloads.Workload, peers: readonly PeerName[]];

/** `--check` compares with the first of the peers. */
const WORK: readonly Work[] = [
  [GET, workloads.getPet, ['Fastify', 'node:http', 'the least']],
  [LIST, workloads.listOrders, ['Fastify']],
  [CREATE, workloads.createPet, ['Fastify']],
  [UPDATE, workloads.updatePet, ['Fastify']],
  [ORDER, workloads.placeOrder, ['Fastify']],
  [GRAPHQL_GET, workloads.graphqlPet, ['Mercurius', 'Yoga', 'Apollo', 'PostGraphile', 'the least']],
  [GRAPHQL_LIST, workloads.graphqlPets, ['Mercurius', 'Yoga', 'PostGraphile', 'Apollo']],
  [GRAPHQL_CREATE, workloads.graphqlCreatePet, ['Mercurius', 'Yoga', 'Apollo']],
];

/** One workload reads a row, one writes one, and one uses more of the process than of the database. */
const OF_WORKERS = [GET, CREATE, GRAPHQL_LIST];

/** Each workload for the service and its peers; further builds of the service come right after it. */
export function contestsAmongPeers(builds: readonly Build[]): Contest[] {
  return WORK.map(([name, workload, peers]) => ({
    name,
    differIn: 'Contestant',
    workload,
    variety: VARIETY,
    entrants: [...builds.map((build) => serviceOf(build)), ...peers.map((peer) => PEERS[peer])].map((contestant) => ({
      name: contestant.name,
      contestant,
      data: SMALL,
    })),
    targets: TARGETS[name] ?? {},
  }));
}

/** Each read-only workload for the service on the large database and on the small one. */
export function contestsOfGrowth(build: Build, large: DataSize): Contest[] {
  const contestant = serviceOf(build);
  const [less, more] = [SMALL, large].map((data) => ({ name: named(data), contestant, data })) as [Entrant, Entrant];
  return WORK.filter(([, workload]) => workload.effect === undefined).map(([name, workload]) => ({
    name: `${name}, as the data grows`,
    differIn: 'Data',
    workload,
    variety: Math.ceil(large.pets / PETS_PER_REQUEST),
    entrants: [more, less],
    targets: { [less.name]: GROWTH_TARGET },
  }));
}

/** Some of the workloads for two processes of the service and for one. */
export function contestsOfWorkers(build: Build): Contest[] {
  const entrants = [2, 1].map((count) => ({
    name: `${count} of the service`,
    contestant: serviceOf(build, { WORKERS: `${count}` }),
    data: SMALL,
  }));
  return WORK.filter(([name]) => OF_WORKERS.includes(name)).map(([name, workload]) => ({
    name: `${name}, with two processes`,
    differIn: 'Processes',
    workload,
    variety: VARIETY,
    entrants,
    targets: {},
  }));
}

/** The contests with targets, without peers that have no target. */
export function withTargetsAlone(contests: readonly Contest[]): Contest[] {
  const isPeer = ({ contestant }: Entrant) => Object.values(PEERS).includes(contestant);
  return contests
    .filter(({ targets }) => Object.keys(targets).length > 0)
    .map((contest) => ({
      ...contest,
      entrants: contest.entrants.filter((entrant) => !isPeer(entrant) || entrant.name in contest.targets),
    }));
}

function named({ pets }: DataSize): string {
  return `${pets.toLocaleString('en')} pets`;
}
