/** The same charts by ECharts, as SVG. */
import * as echarts from 'echarts';
import type { ChartSpec, ChartView } from '../../src/render/index.js';

/** Markup of a chart, drawn without a document. */
export function echartsSvg(spec: ChartSpec, { width, height }: ChartView): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({ animation: false, title: { text: spec.title, left: 'center' }, ...optionOf(spec) });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function optionOf({
  categories,
  series,
  style,
  categoryLabel,
  valueLabel,
}: ChartSpec): echarts.EChartsCoreOption {
  const { type } = style;
  const label = { show: style.valueLabels !== 'none', position: type.includes('stacked') ? 'inside' : 'top' };
  const data = [...categories];
  if (type === 'pie' || type === 'donut') {
    const values = categories.map((name, i) => ({ name, value: series[0]?.values[i] }));
    return { series: [{ type: 'pie', radius: type === 'donut' ? ['35%', '65%'] : '65%', data: values }] };
  }
  if (type === 'scatter') {
    const points = categories.map((name, i) => ({ name, value: series.map(({ values }) => values[i]) }));
    return {
      xAxis: {},
      yAxis: {},
      series: [{ type: 'scatter', data: points, label: { show: true, formatter: '{b}', position: 'right' } }],
    };
  }
  if (type === 'heat-map') {
    const cells = series.flatMap(({ values }, y) => values.map((value, x) => [x, y, value]));
    return {
      xAxis: { type: 'category', data },
      yAxis: { type: 'category', data: series.map(({ name }) => name) },
      visualMap: { min: 0, max: 60, calculable: true, orient: 'vertical', right: 0 },
      series: [{ type: 'heatmap', data: cells, label: { show: label.show } }],
    };
  }
  const names = { type: 'category', data, name: categoryLabel };
  const numbers = { type: 'value', name: valueLabel };
  const flat = type.startsWith('horizontal');
  const shape = type === 'line' || type === 'area' ? 'line' : 'bar';
  return {
    ...(series.length > 1 ? { legend: { top: 30 } } : {}),
    xAxis: flat ? numbers : names,
    yAxis: flat ? names : numbers,
    series: series.map(({ name, values }) => ({
      name,
      type: shape,
      data: [...values],
      label,
      ...(type === 'area' ? { areaStyle: {} } : {}),
      ...(type === 'area' || type.includes('stacked') ? { stack: 'all' } : {}),
    })),
  };
}
