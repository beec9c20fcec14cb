/** Header in which a service names the events of a stream without end; the gateway removes it. Streams of one name have the same events. */
export const STREAM_HEADER = 'x-hindsight-stream';
